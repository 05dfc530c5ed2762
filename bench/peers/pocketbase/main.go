// Command pocketbase is PocketBase with the durability of the service: every write is on the disk before its answer.
//
//	pocketbase seed --dir <directory>      reads a list of users, and then one artifact a line, from standard input
//	pocketbase serve --dir <directory> --http <address>
package main

import (
	"log"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/spf13/cobra"
)

func main() {
	app := pocketbase.NewWithConfig(pocketbase.Config{HideStartBanner: true, DBConnect: connect})
	app.RootCmd.AddCommand(&cobra.Command{
		Use: "seed",
		Run: func(*cobra.Command, []string) {
			if err := seed(app); err != nil {
				log.Fatal(err)
			}
		},
	})
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}

// As PocketBase connects by itself, but for synchronous(FULL) in place of NORMAL.
func connect(path string) (*dbx.DB, error) {
	return dbx.Open("sqlite", path+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)"+
		"&_pragma=journal_size_limit(200000000)&_pragma=synchronous(FULL)&_pragma=foreign_keys(ON)"+
		"&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)")
}
