CREATE TABLE `waiting` (
	`scope` text NOT NULL,
	`name` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`entity` text NOT NULL,
	`key` text,
	`code` text,
	`cause` text NOT NULL,
	`resolve` text NOT NULL,
	`count` integer NOT NULL,
	`since` text NOT NULL,
	`lapses` text,
	`body` text,
	PRIMARY KEY(`scope`, `name`)
);
--> statement-breakpoint
ALTER TABLE `staged_rows` ADD `starts` text;