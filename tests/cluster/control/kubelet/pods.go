package main

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var addresses atomic.Uint32

// syncPod takes a pod one step on, and says after which time to look again.
func (k *kubelet) syncPod(ctx context.Context, pod *v1.Pod) (time.Duration, error) {
	node, err := k.nodes.Get(pod.Spec.NodeName)
	if err != nil {
		return 0, nil // no node, no kubelet
	}
	where := play(node)
	ended := pod.Status.Phase == v1.PodFailed || pod.Status.Phase == v1.PodSucceeded
	switch {
	case where == silent || where == rebooting:
		return 0, nil
	case pod.DeletionTimestamp != nil:
		return k.terminate(ctx, pod, ended)
	case ended:
		return 0, nil
	case where == shuttingDown && pod.Status.StartTime == nil:
		return 0, k.end(ctx, pod, v1.PodFailed, "NodeShutdown", "Pod was rejected as the node is shutting down.", 0)
	case where == shuttingDown:
		return 0, k.shutDown(ctx, pod)
	case pod.Status.StartTime == nil:
		if reason, message := k.refuses(ctx, node, pod); reason != "" {
			return 0, k.end(ctx, pod, v1.PodFailed, reason, message, 0)
		}
	}
	return k.run(ctx, pod)
}

// run reports a pod as it should be now: Running, Ready or not, waiting for its image, or ended.
func (k *kubelet) run(ctx context.Context, pod *v1.Pod) (time.Duration, error) {
	started := time.Now()
	if pod.Status.StartTime != nil {
		started = pod.Status.StartTime.Time
	}
	what := podPlay(pod)
	again := rest(pod, readyAfter, started)
	ready := what != neverReady && what != imageFails && again <= 0
	if what == fail || what == succeed {
		left := rest(pod, endsAfter, started)
		if left <= 0 && pod.Status.StartTime != nil {
			if what == fail {
				return 0, k.end(ctx, pod, v1.PodFailed, "", "", 1)
			}
			return 0, k.end(ctx, pod, v1.PodSucceeded, "", "", 0)
		}
		if again <= 0 || left < again {
			again = left
		}
	}
	phase := v1.PodRunning
	if what == imageFails {
		phase = v1.PodPending
	}
	if pod.Status.StartTime != nil && pod.Status.Phase == phase && isReady(pod) == ready {
		return again, nil
	}
	pod = pod.DeepCopy()
	pod.Status.Phase = phase
	if pod.Status.StartTime == nil {
		pod.Status.StartTime = &metav1.Time{Time: started}
	}
	if pod.Status.PodIP == "" && phase == v1.PodRunning {
		n := addresses.Add(1)
		pod.Status.PodIP = fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255)
		pod.Status.PodIPs = []v1.PodIP{{IP: pod.Status.PodIP}}
	}
	report(pod, ready, func(status *v1.ContainerStatus) {
		if what == imageFails {
			status.State = v1.ContainerState{Waiting: &v1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "Back-off pulling image"}}
		} else if status.State.Running == nil {
			status.State = v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: metav1.Now()}}
		}
	})
	return again, k.write(ctx, pod)
}

// terminate ends a pod that was deleted, once its time is up: the smaller of its own and its grace period.
func (k *kubelet) terminate(ctx context.Context, pod *v1.Pod, ended bool) (time.Duration, error) {
	grace := time.Duration(0)
	if pod.DeletionGracePeriodSeconds != nil {
		grace = time.Duration(*pod.DeletionGracePeriodSeconds) * time.Second
	}
	deleted := pod.DeletionTimestamp.Add(-grace)
	if left := min(rest(pod, terminatesAfter, deleted), time.Until(pod.DeletionTimestamp.Time)); left > 0 && !ended {
		return left, nil
	}
	if pod.Spec.RestartPolicy != v1.RestartPolicyAlways && !ended && pod.Status.StartTime != nil {
		code, err := strconv.Atoi(pod.Annotations[exitCode])
		if err != nil {
			code = 143
		}
		phase := v1.PodFailed
		if code == 0 {
			phase = v1.PodSucceeded
		}
		return 0, k.end(ctx, pod, phase, "", "", int32(code))
	}
	now := int64(0)
	return 0, k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: &now,
		Preconditions:      &metav1.Preconditions{UID: &pod.UID},
	})
}

// shutDown fails a pod as a kubelet does whose machine goes down gracefully.
func (k *kubelet) shutDown(ctx context.Context, pod *v1.Pod) error {
	const message = "Pod was terminated in response to imminent node shutdown."
	pod = pod.DeepCopy()
	condition(pod, v1.DisruptionTarget, true, v1.PodReasonTerminationByKubelet)
	return k.end(ctx, pod, v1.PodFailed, "Terminated", message, 143)
}

// end reports a pod whose containers all ended with this code.
func (k *kubelet) end(ctx context.Context, pod *v1.Pod, phase v1.PodPhase, reason, message string, code int32) error {
	pod = pod.DeepCopy()
	pod.Status.Phase, pod.Status.Reason, pod.Status.Message = phase, reason, message
	if pod.Status.StartTime == nil {
		now := metav1.Now()
		pod.Status.StartTime = &now
		return k.write(ctx, pod) // it was refused: no container ever was
	}
	report(pod, false, func(status *v1.ContainerStatus) {
		ended := v1.ContainerStateTerminated{ExitCode: code, Reason: "Completed", FinishedAt: metav1.Now()}
		if code != 0 {
			ended.Reason = "Error"
		}
		status.State = v1.ContainerState{Terminated: &ended}
	})
	return k.write(ctx, pod)
}

func (k *kubelet) write(ctx context.Context, pod *v1.Pod) error {
	_, err := k.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}

// report sets the statuses of all containers, and the conditions that follow from them.
func report(pod *v1.Pod, ready bool, set func(*v1.ContainerStatus)) {
	before := map[string]v1.ContainerStatus{}
	for _, status := range pod.Status.ContainerStatuses {
		before[status.Name] = status
	}
	pod.Status.ContainerStatuses = nil
	for _, container := range pod.Spec.Containers {
		status := before[container.Name]
		status.Name, status.Image, status.Ready = container.Name, container.Image, ready
		set(&status)
		running := status.State.Running != nil
		status.Started = &running
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status)
	}
	condition(pod, v1.PodReadyToStartContainers, true, "")
	condition(pod, v1.PodInitialized, true, "")
	for _, kind := range []v1.PodConditionType{v1.ContainersReady, v1.PodReady} {
		if ready {
			condition(pod, kind, true, "")
		} else {
			condition(pod, kind, false, "ContainersNotReady")
		}
	}
}

func condition(pod *v1.Pod, kind v1.PodConditionType, holds bool, reason string) {
	wanted := v1.PodCondition{Type: kind, Status: v1.ConditionFalse, Reason: reason, LastTransitionTime: metav1.Now()}
	if holds {
		wanted.Status = v1.ConditionTrue
	}
	for i, each := range pod.Status.Conditions {
		if each.Type == kind {
			if each.Status == wanted.Status {
				wanted.LastTransitionTime = each.LastTransitionTime
			}
			pod.Status.Conditions[i] = wanted
			return
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, wanted)
}

func isReady(pod *v1.Pod) bool {
	for _, each := range pod.Status.Conditions {
		if each.Type == v1.PodReady {
			return each.Status == v1.ConditionTrue
		}
	}
	return false
}

// unlessRaced leaves out the errors of a write that came too late: the newer object is in the queue.
func unlessRaced(err error) error {
	if errors.IsNotFound(err) || errors.IsConflict(err) {
		return nil
	}
	return err
}
