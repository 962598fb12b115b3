// etcd serves one member on two loopback addresses, without ever waiting for the disk.
package main

import (
	"flag"
	"log"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
)

func main() {
	dir := flag.String("data-dir", "", "where the data goes")
	client := flag.String("client", "", "URL to serve clients on")
	peer := flag.String("peer", "", "URL to serve peers on, of which there are none")
	flag.Parse()

	config := embed.NewConfig()
	config.Dir = *dir
	config.UnsafeNoFsync = true
	config.LogLevel = "warn"
	config.QuotaBackendBytes = 4 << 30
	config.ListenClientUrls, config.AdvertiseClientUrls = parsed(*client), parsed(*client)
	config.ListenPeerUrls, config.AdvertisePeerUrls = parsed(*peer), parsed(*peer)
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	server, err := embed.StartEtcd(config)
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	select {
	case <-stop:
	case err := <-server.Err():
		log.Fatal(err)
	}
}

func parsed(text string) []url.URL {
	address, err := url.Parse(text)
	if err != nil {
		log.Fatal(err)
	}
	return []url.URL{*address}
}
