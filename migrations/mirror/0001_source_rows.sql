CREATE TABLE `source_rows` (
	`stream` text NOT NULL,
	`id` text NOT NULL,
	`key` text,
	`body` text,
	`gone` integer NOT NULL,
	`seen` integer NOT NULL,
	PRIMARY KEY(`stream`, `id`)
);
--> statement-breakpoint
CREATE INDEX `source_rows_seen` ON `source_rows` (`stream`,`seen`);