CREATE TABLE `pushed_gone` (
	`source` text NOT NULL,
	`key_column` text NOT NULL,
	`key` text NOT NULL,
	`id` text NOT NULL,
	`at` text NOT NULL,
	PRIMARY KEY(`source`, `key_column`, `key`)
);
--> statement-breakpoint
CREATE TABLE `pushed_members` (
	`source` text NOT NULL,
	`group_id` text NOT NULL,
	`member_id` text NOT NULL,
	PRIMARY KEY(`source`, `group_id`, `member_id`)
);
--> statement-breakpoint
CREATE INDEX `pushed_member` ON `pushed_members` (`source`,`member_id`);--> statement-breakpoint
CREATE TABLE `pushed_resources` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`source` text NOT NULL,
	`type` text NOT NULL,
	`id` text NOT NULL,
	`name_key` text NOT NULL,
	`external_id` text,
	`display` text NOT NULL,
	`created` text NOT NULL,
	`modified` text NOT NULL,
	`version` integer NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pushed_id` ON `pushed_resources` (`source`,`type`,`id`);--> statement-breakpoint
CREATE INDEX `pushed_order` ON `pushed_resources` (`source`,`type`,`seq`);--> statement-breakpoint
CREATE INDEX `pushed_name` ON `pushed_resources` (`source`,`type`,`name_key`);--> statement-breakpoint
CREATE INDEX `pushed_external` ON `pushed_resources` (`source`,`type`,`external_id`);