"""Rules on ordinary pods that a change removes: imported only for such a change."""
