package main

import (
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
)

const (
	maxText      = 1_000_000
	maxRelations = 1_000
)

func text(name string, required bool) core.Field {
	return &core.TextField{Name: name, Required: required, Max: maxText}
}

func number(name string, onlyInt bool) core.Field {
	return &core.NumberField{Name: name, OnlyInt: onlyInt}
}

func choice(name string, most int, values ...string) core.Field {
	return &core.SelectField{Name: name, MaxSelect: most, Values: values}
}

func relation(name string, to *core.Collection, most int) core.Field {
	return &core.RelationField{Name: name, CollectionId: to.Id, MaxSelect: most}
}

// A signed-in user may read and write all, and deletes nothing.
func openToUsers(collection *core.Collection) {
	signedIn := types.Pointer(`@request.auth.id != ""`)
	collection.ListRule = signedIn
	collection.ViewRule = signedIn
	collection.CreateRule = signedIn
	collection.UpdateRule = signedIn
}

// The fields of the platform that the service is measured with.
func addArtifacts(app core.App) error {
	users, err := app.FindCollectionByNameOrId("users")
	if err != nil {
		return err
	}
	openToUsers(users)
	if err := app.Save(users); err != nil {
		return err
	}
	trackers := core.NewBaseCollection("trackers")
	trackers.Fields.Add(text("label", true))
	openToUsers(trackers)
	if err := app.Save(trackers); err != nil {
		return err
	}
	artifacts := core.NewBaseCollection("artifacts")
	openToUsers(artifacts)
	artifacts.Fields.Add(
		relation("tracker", trackers, 1),
		text("title", true),
		text("description", false),
		text("notes", false),
		text("environment", false),
		text("release", false),
		choice("status", 1, "New", "In progress", "In review", "Fixed", "Closed"),
		choice("severity", 1, "Minor", "Major", "Critical"),
		relation("assigned_to", users, maxRelations),
		choice("team", 1, "developers", "testers"),
		choice("platforms", 4, "Linux", "Windows", "macOS", "BSD"),
		choice("keywords", 5, "pump", "valve", "display", "network", "storage"),
		number("effort", false),
		number("cost", false),
		number("points", true),
		number("votes", true),
		&core.DateField{Name: "due"},
		&core.DateField{Name: "meeting"},
		choice("visible_to", 2, "developers", "testers"),
		number("number", true),
		&core.AutodateField{Name: "submitted_on", OnCreate: true},
		relation("submitted_by", users, 1),
		&core.AutodateField{Name: "updated_on", OnCreate: true, OnUpdate: true},
		relation("updated_by", users, 1),
	)
	artifacts.AddIndex("artifacts_of_tracker", false, "tracker, id", "")
	artifacts.AddIndex("artifacts_of_status", false, "tracker, status, id", "")
	if err := app.Save(artifacts); err != nil {
		return err
	}
	artifacts.Fields.Add(relation("links", artifacts, maxRelations))
	return app.Save(artifacts)
}
