// kubelet stands in for the kubelets of all nodes: it starts, ends and reports pods that have no containers.
//
// What it plays it is told by annotations, see plays.go. It refuses pods by the real kubelet's admission.
package main

import (
	"context"
	"flag"
	"log"
	"os/signal"
	"sync"
	"syscall"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

const (
	workers = 16
	byNode  = "node"
)

type kubelet struct {
	client kubernetes.Interface
	nodes  corelisters.NodeLister
	pods   cache.Indexer
	queue  workqueue.TypedRateLimitingInterface[item]

	lock     sync.Mutex
	plays    map[string]string      // what each node played when it was last looked at
	starting map[string]*sync.Mutex // one pod of a node is admitted at a time
	admitted map[types.UID]bool
}

// item is a pod, or a node where the namespace is empty.
type item struct{ namespace, name string }

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how to reach the API server")
	heartbeat := flag.Duration("heartbeat", 0, "how often each node renews its lease; 0 is never")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	config.QPS = -1
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client := kubernetes.NewForConfigOrDie(config)
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Informer()
	nodes := factory.Core().V1().Nodes().Informer()
	k := &kubelet{
		client:   client,
		nodes:    factory.Core().V1().Nodes().Lister(),
		pods:     pods.GetIndexer(),
		queue:    workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[item](10*time.Millisecond, time.Second)),
		plays:    map[string]string{},
		starting: map[string]*sync.Mutex{},
		admitted: map[types.UID]bool{},
	}
	must(pods.AddIndexers(cache.Indexers{byNode: func(object any) ([]string, error) {
		return []string{object.(*v1.Pod).Spec.NodeName}, nil
	}}))
	watch(pods, func(pod *v1.Pod) {
		if pod.Spec.NodeName != "" {
			k.queue.Add(item{pod.Namespace, pod.Name})
		}
	}, k.forget)
	watch(nodes, func(node *v1.Node) { k.queue.Add(item{name: node.Name}) }, func(node *v1.Node) { k.queue.Add(item{name: node.Name}) })

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for range workers {
		go func() {
			for k.next(ctx) {
			}
		}()
	}
	if *heartbeat > 0 {
		go k.beat(ctx, *heartbeat)
	}
	<-ctx.Done()
	k.queue.ShutDown()
}

func watch[T any](informer cache.SharedIndexInformer, changed, gone func(T)) {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { changed(object.(T)) },
		UpdateFunc: func(_, object any) { changed(object.(T)) },
		DeleteFunc: func(object any) {
			if last, missed := object.(cache.DeletedFinalStateUnknown); missed {
				object = last.Obj
			}
			gone(object.(T))
		},
	})
	must(err)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func (k *kubelet) next(ctx context.Context) bool {
	what, stopped := k.queue.Get()
	if stopped {
		return false
	}
	defer k.queue.Done(what)
	var again time.Duration
	var err error
	if what.namespace == "" {
		err = k.syncNode(ctx, what.name)
	} else if found, exists, _ := k.pods.GetByKey(what.namespace + "/" + what.name); exists {
		again, err = k.syncPod(ctx, found.(*v1.Pod))
	}
	if err = unlessRaced(err); err != nil {
		log.Printf("%s/%s: %v", what.namespace, what.name, err)
		k.queue.AddRateLimited(what)
		return true
	}
	k.queue.Forget(what)
	if again > 0 {
		k.queue.AddAfter(what, again)
	}
	return true
}

func (k *kubelet) podsOf(node string) []*v1.Pod {
	found, err := k.pods.ByIndex(byNode, node)
	must(err)
	pods := make([]*v1.Pod, 0, len(found))
	for _, each := range found {
		pods = append(pods, each.(*v1.Pod))
	}
	return pods
}
