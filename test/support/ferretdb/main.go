// Command ferretdb is FerretDB over SQLite, as a MongoDB stand-in for specs: ferretdb <directory> <address> [<pages>].
//
// With a number of pages, of 4 KiB each, a database has no more room than that.
//
// It says its URL on standard output, sends no telemetry, and ends when standard input does, so that it never outlives
// the process that has started it.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: ferretdb <directory> <address> [<pages>]")
	}
	options := ""
	if len(os.Args) > 3 {
		options = "?_pragma=max_page_count(" + os.Args[3] + ")"
	}
	if err := run(os.Args[1], os.Args[2], options); err != nil {
		log.Fatal(err)
	}
}

func run(directory, address, options string) error {
	directory, err := filepath.Abs(directory)
	if err != nil {
		return err
	}
	socket := filepath.Join(directory, "ferretdb.sock")
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{Unix: socket},
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Handler:   "sqlite",
		SQLiteURL: "file:" + directory + "/" + options,
	})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	defer listener.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	go func() {
		// It answers once the server listens.
		_ = server.MongoDBURI()
		fmt.Printf("mongodb://%s/\n", listener.Addr())
		(&turnstile{socket: socket}).serve(listener)
	}()
	return server.Run(ctx)
}
