CREATE TABLE `carried_out` (
	`scope` text NOT NULL,
	`what` text NOT NULL,
	`key` text NOT NULL,
	`before` text NOT NULL,
	`run` text NOT NULL,
	`at` text NOT NULL,
	PRIMARY KEY(`scope`, `what`, `key`)
);
--> statement-breakpoint
CREATE INDEX `carried_out_at` ON `carried_out` (`at`);--> statement-breakpoint
CREATE TABLE `declines` (
	`id` text NOT NULL,
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`path` text NOT NULL,
	`value` text NOT NULL,
	`mapping` text NOT NULL,
	`change_id` text NOT NULL,
	`action` text NOT NULL,
	`plan` text NOT NULL,
	`who` text NOT NULL,
	`reason` text NOT NULL,
	`at` text NOT NULL,
	`until` text,
	PRIMARY KEY(`scope`, `key`, `path`)
);
--> statement-breakpoint
CREATE INDEX `declines_id` ON `declines` (`id`);--> statement-breakpoint
CREATE TABLE `head_counts` (
	`scope` text NOT NULL,
	`at` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`scope`, `at`)
);
--> statement-breakpoint
CREATE TABLE `held_changes` (
	`guard` text NOT NULL,
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`field` text NOT NULL,
	`run` text NOT NULL,
	`at` text NOT NULL,
	`approval` text,
	PRIMARY KEY(`guard`, `scope`, `key`, `field`)
);
--> statement-breakpoint
CREATE INDEX `held_changes_of` ON `held_changes` (`scope`,`key`);--> statement-breakpoint
ALTER TABLE `approvals` ADD `via` text;--> statement-breakpoint
ALTER TABLE `approvals` ADD `plan` text;