"""`make truth KIND=capacity`: how many copies of a pod fit and where, against the real scheduler, in random worlds."""
