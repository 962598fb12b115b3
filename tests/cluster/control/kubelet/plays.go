package main

import (
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const prefix = "preflight.test/"

// What the annotation preflight.test/kubelet of a node says; anything else is a kubelet at work on a node that is Ready.
const (
	silent       = "silent"        // nothing is heard of the node: no lease, no report, no pod starts or ends
	rebooting    = "rebooting"     // the same; once it is over, every pod of the node starts again
	notReady     = "not-ready"     // at work, and reports Ready=False
	shuttingDown = "shutting-down" // a graceful shutdown: Ready=False, pods are failed, new ones are refused
)

// What preflight.test/kubelet of a pod says; anything else runs and is Ready. `never-ready@n1,n2` is so on these nodes only.
const (
	neverReady = "never-ready" // Running, never Ready
	imageFails = "image-fails" // Pending: its image is not there; an image whose tag is `bad` is not there either
	fail       = "fail"        // runs, then Failed
	succeed    = "succeed"     // runs, then Succeeded
)

// Further annotations of a pod, each a duration from when it started or was deleted; absent is at once.
const (
	readyAfter      = prefix + "ready-after"
	endsAfter       = prefix + "ends-after" // of fail and succeed
	terminatesAfter = prefix + "terminates-after"
	exitCode        = prefix + "exit-code" // on SIGTERM, of a pod that is not always restarted: 143 unless told
)

func play(object metav1.Object) string { return object.GetAnnotations()[prefix+"kubelet"] }

func podPlay(pod *v1.Pod) string {
	for _, container := range pod.Spec.Containers {
		if strings.HasSuffix(container.Image, ":bad") {
			return imageFails
		}
	}
	what, on, some := strings.Cut(play(pod), "@")
	if some {
		for _, node := range strings.Split(on, ",") {
			if node == pod.Spec.NodeName {
				return what
			}
		}
		return ""
	}
	return what
}

// rest is how long it is until that annotation's time has passed since then; zero or less where it has.
func rest(pod *v1.Pod, annotation string, since time.Time) time.Duration {
	after, err := time.ParseDuration(pod.Annotations[annotation])
	if err != nil {
		return 0
	}
	return time.Until(since.Add(after))
}
