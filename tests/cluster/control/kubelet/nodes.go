package main

import (
	"context"
	"encoding/json"
	"log"
	"slices"
	"sync"
	"time"

	coordination "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/utils/ptr"
)

// syncNode reports what a node plays, and lets its pods follow when that has changed.
func (k *kubelet) syncNode(ctx context.Context, name string) error {
	node, err := k.nodes.Get(name)
	if err != nil {
		k.lock.Lock()
		defer k.lock.Unlock()
		delete(k.plays, name)
		return nil
	}
	now := play(node)
	k.lock.Lock()
	before, seen := k.plays[name]
	k.lock.Unlock()
	if now != silent && now != rebooting {
		if err := k.reportNode(ctx, node, now, seen && before != now); err != nil {
			return err
		}
		if before == rebooting {
			if err := k.startAgain(ctx, node); err != nil {
				return err
			}
		}
	}
	k.lock.Lock()
	k.plays[name] = now
	k.lock.Unlock()
	if !seen || before != now {
		for _, pod := range k.podsOf(name) {
			k.queue.Add(item{pod.Namespace, pod.Name})
		}
	}
	return nil
}

// reportNode writes Ready: False where the node plays that; True after it played something else, or where nothing is known.
// A node that was made with Ready=False stays so.
func (k *kubelet) reportNode(ctx context.Context, node *v1.Node, now string, changed bool) error {
	ready := v1.ConditionUnknown
	for _, each := range node.Status.Conditions {
		if each.Type == v1.NodeReady {
			ready = each.Status
		}
	}
	wanted := v1.NodeCondition{Type: v1.NodeReady, Status: v1.ConditionTrue, Reason: "KubeletReady", Message: "kubelet is posting ready status"}
	if now == notReady || now == shuttingDown {
		wanted.Status, wanted.Reason, wanted.Message = v1.ConditionFalse, "KubeletNotReady", "preflight.test/kubelet says "+now
	} else if ready == v1.ConditionFalse && !changed {
		return nil
	}
	if ready == wanted.Status {
		return nil
	}
	wanted.LastHeartbeatTime, wanted.LastTransitionTime = metav1.Now(), metav1.Now()
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []v1.NodeCondition{wanted}}})
	must(err)
	_, err = k.client.CoreV1().Nodes().PatchStatus(ctx, node.Name, patch)
	return err
}

// startAgain is the kubelet's start after a plain reboot: each pod is admitted anew, the oldest first, and its containers restart.
func (k *kubelet) startAgain(ctx context.Context, node *v1.Node) error {
	pods := k.podsOf(node.Name)
	slices.SortFunc(pods, func(a, b *v1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	var running []*v1.Pod
	for _, pod := range pods {
		if pod.Status.Phase != v1.PodRunning || pod.DeletionTimestamp != nil {
			continue
		}
		reason, message := admission(ctx, node, pod, running)
		var err error
		switch {
		case reason != "":
			err = k.end(ctx, pod, v1.PodFailed, reason, message, 137)
		case pod.Spec.RestartPolicy == v1.RestartPolicyNever:
			err = k.end(ctx, pod, v1.PodFailed, "", "", 137)
		default:
			running = append(running, pod)
			again := pod.DeepCopy()
			report(again, false, func(status *v1.ContainerStatus) {
				status.RestartCount++
				status.State = v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: metav1.Now()}}
			})
			err = k.write(ctx, again)
		}
		if unlessRaced(err) != nil {
			return err
		}
	}
	return nil
}

// refuses is the reason, and the message, for which a new pod is not admitted; empty where it is.
func (k *kubelet) refuses(ctx context.Context, node *v1.Node, pod *v1.Pod) (string, string) {
	k.lock.Lock()
	lock := k.starting[node.Name]
	if lock == nil {
		lock = &sync.Mutex{}
		k.starting[node.Name] = lock
	}
	k.lock.Unlock()
	lock.Lock()
	defer lock.Unlock()
	var others []*v1.Pod
	for _, each := range k.podsOf(node.Name) {
		k.lock.Lock()
		counts := each.UID != pod.UID && (each.Status.StartTime != nil || k.admitted[each.UID])
		k.lock.Unlock()
		if counts && each.Status.Phase != v1.PodFailed && each.Status.Phase != v1.PodSucceeded {
			others = append(others, each)
		}
	}
	reason, message := admission(ctx, node, pod, others)
	if reason == "" {
		k.lock.Lock()
		k.admitted[pod.UID] = true
		k.lock.Unlock()
	}
	return reason, message
}

func (k *kubelet) forget(pod *v1.Pod) {
	k.lock.Lock()
	defer k.lock.Unlock()
	delete(k.admitted, pod.UID)
}

// admission asks the real kubelet's predicates; a node of another operating system than ours admits all.
func admission(ctx context.Context, node *v1.Node, pod *v1.Pod, others []*v1.Pod) (string, string) {
	if os := node.Labels[v1.LabelOSStable]; os != "" && os != "linux" {
		return "", ""
	}
	copied := node.DeepCopy() // the predicates write a label into it
	handler := lifecycle.NewPredicateAdmitHandler(
		func(context.Context, bool) (*v1.Node, error) { return copied, nil },
		lifecycle.NewAdmissionFailureHandlerStub(),
		func(*framework.NodeInfo, *lifecycle.PodAdmitAttributes) error { return nil },
	)
	result := handler.Admit(ctx, &lifecycle.PodAdmitAttributes{Pod: pod, OtherPods: others, Operation: lifecycle.AddOperation})
	if result.Admit {
		return "", ""
	}
	return result.Reason, result.Message
}

// beat renews the lease of every node that is not silent.
func (k *kubelet) beat(ctx context.Context, every time.Duration) {
	for range time.Tick(every) {
		nodes, err := k.nodes.List(labels.Everything())
		must(err)
		for _, node := range nodes {
			if now := play(node); now == silent || now == rebooting {
				continue
			}
			if err := k.renew(ctx, node.Name, every); err != nil && ctx.Err() == nil {
				log.Printf("lease of %s: %v", node.Name, err)
			}
		}
	}
}

func (k *kubelet) renew(ctx context.Context, node string, every time.Duration) error {
	leases := k.client.CoordinationV1().Leases(v1.NamespaceNodeLease)
	spec := coordination.LeaseSpec{
		HolderIdentity:       &node,
		LeaseDurationSeconds: ptr.To(int32(4*every/time.Second) + 1),
		RenewTime:            &metav1.MicroTime{Time: time.Now()},
	}
	patch, err := json.Marshal(map[string]any{"spec": spec})
	must(err)
	_, err = leases.Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{})
	if errors.IsNotFound(err) {
		_, err = leases.Create(ctx, &coordination.Lease{ObjectMeta: metav1.ObjectMeta{Name: node}, Spec: spec}, metav1.CreateOptions{})
	}
	return err
}
