CREATE TABLE `marks` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `object_keys` (
	`entity` text NOT NULL,
	`name` text NOT NULL,
	`value` text NOT NULL,
	`id` text NOT NULL,
	PRIMARY KEY(`entity`, `name`, `value`, `id`)
);
--> statement-breakpoint
CREATE INDEX `object_keys_id` ON `object_keys` (`entity`,`id`);--> statement-breakpoint
CREATE TABLE `objects` (
	`entity` text NOT NULL,
	`id` text NOT NULL,
	`active` integer NOT NULL,
	`label` text NOT NULL,
	`body` text NOT NULL,
	`hash` text NOT NULL,
	`seen` integer NOT NULL,
	PRIMARY KEY(`entity`, `id`)
);
--> statement-breakpoint
CREATE INDEX `objects_active` ON `objects` (`entity`,`active`);