CREATE TABLE `outbox` (
	`source` text NOT NULL,
	`record` text NOT NULL,
	`column_name` text NOT NULL,
	`entity` text NOT NULL,
	`source_key` text NOT NULL,
	`value` text NOT NULL,
	`shown` text NOT NULL,
	`service_hash` text,
	`status` text NOT NULL,
	`run` text NOT NULL,
	`at` text NOT NULL,
	`times` integer NOT NULL,
	`message` text,
	PRIMARY KEY(`source`, `record`, `column_name`)
);
--> statement-breakpoint
CREATE INDEX `outbox_key` ON `outbox` (`entity`,`source_key`);--> statement-breakpoint
CREATE INDEX `outbox_status` ON `outbox` (`status`);--> statement-breakpoint
CREATE TABLE `resolutions` (
	`question` text PRIMARY KEY NOT NULL,
	`entity` text NOT NULL,
	`source_key` text NOT NULL,
	`winner` text NOT NULL,
	`who` text NOT NULL,
	`reason` text NOT NULL,
	`at` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sightings` (
	`entity` text NOT NULL,
	`source_key` text NOT NULL,
	`path` text NOT NULL,
	`hash` text NOT NULL,
	`at` text NOT NULL,
	PRIMARY KEY(`entity`, `source_key`, `path`)
);
--> statement-breakpoint
ALTER TABLE `links` ADD `settled` text;