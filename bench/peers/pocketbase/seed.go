package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase/core"
)

const atOnce = 4096

type plan struct {
	Users    []user    `json:"users"`
	Trackers []tracker `json:"trackers"`
}

type user struct {
	ID       string `json:"id"`
	Email    string `json:"email"`
	Name     string `json:"name"`
	Password string `json:"password"`
}

type tracker struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

func seed(app core.App) error {
	lines := json.NewDecoder(os.Stdin)
	var given plan
	if err := lines.Decode(&given); err != nil {
		return err
	}
	if err := withoutLogs(app); err != nil {
		return err
	}
	if err := addArtifacts(app); err != nil {
		return err
	}
	if err := addPlan(app, given); err != nil {
		return err
	}
	for more := true; more; {
		err := app.RunInTransaction(func(tx core.App) (err error) {
			more, err = insertSome(tx, lines)
			return err
		})
		if err != nil {
			return err
		}
	}
	_, err := app.NonconcurrentDB().NewQuery("PRAGMA optimize").Execute()
	return err
}

// With no days to keep, PocketBase writes no logs.
func withoutLogs(app core.App) error {
	settings := app.Settings()
	settings.Logs.MaxDays = 0
	return app.Save(settings)
}

func addPlan(app core.App, given plan) error {
	// Without a superuser, a start opens a browser.
	first := user{ID: "superuser000001", Email: "superuser@example.org", Password: given.Users[0].Password}
	if err := addUser(app, core.CollectionNameSuperusers, first); err != nil {
		return err
	}
	for _, each := range given.Users {
		if err := addUser(app, "users", each); err != nil {
			return err
		}
	}
	trackers, err := app.FindCollectionByNameOrId("trackers")
	if err != nil {
		return err
	}
	for _, each := range given.Trackers {
		record := core.NewRecord(trackers)
		record.Id = each.ID
		record.Set("label", each.Label)
		if err := app.Save(record); err != nil {
			return err
		}
	}
	return nil
}

func addUser(app core.App, collection string, given user) error {
	found, err := app.FindCollectionByNameOrId(collection)
	if err != nil {
		return err
	}
	record := core.NewRecord(found)
	record.Id = given.ID
	record.Set("name", given.Name)
	record.SetEmail(given.Email)
	record.SetEmailVisibility(true)
	record.SetPassword(given.Password)
	return app.Save(record)
}

// A statement that stays prepared, because a hundred thousand artifacts take seconds so. False at the end of the lines.
func insertSome(app core.App, lines *json.Decoder) (bool, error) {
	artifacts, err := app.FindCollectionByNameOrId("artifacts")
	if err != nil {
		return false, err
	}
	names := artifacts.Fields.FieldNames()
	insert := app.NonconcurrentDB().NewQuery("INSERT INTO artifacts (" + strings.Join(names, ", ") + ") VALUES ({:" +
		strings.Join(names, "}, {:") + "})").Prepare()
	defer insert.Close()
	for range atOnce {
		row := dbx.Params{}
		if err := lines.Decode(&row); errors.Is(err, io.EOF) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		if err := stored(row); err != nil {
			return false, err
		}
		if _, err := insert.Bind(row).Execute(); err != nil {
			return false, err
		}
	}
	return true, nil
}

// Several values are JSON in one column.
func stored(row dbx.Params) error {
	for name, value := range row {
		several, ok := value.([]any)
		if !ok {
			continue
		}
		text, err := json.Marshal(several)
		if err != nil {
			return err
		}
		row[name] = string(text)
	}
	return nil
}
