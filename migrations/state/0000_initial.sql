CREATE TABLE `absences` (
	`entity` text NOT NULL,
	`source_key` text NOT NULL,
	`kind` text NOT NULL,
	`observations` integer NOT NULL,
	`first_at` text NOT NULL,
	`last_at` text NOT NULL,
	`last_delivery` text NOT NULL,
	`context` text NOT NULL,
	PRIMARY KEY(`entity`, `source_key`)
);
--> statement-breakpoint
CREATE TABLE `approvals` (
	`change_id` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`guard` text NOT NULL,
	`who` text NOT NULL,
	`reason` text NOT NULL,
	`at` text NOT NULL,
	`expires_at` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `approvals_id` ON `approvals` (`id`);--> statement-breakpoint
CREATE TABLE `audit` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`salt` text,
	`entry` text,
	`commitment` text NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `facts` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `journal` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`run` text NOT NULL,
	`change_id` text NOT NULL,
	`entity` text NOT NULL,
	`key` text NOT NULL,
	`step` text NOT NULL,
	`change` text NOT NULL,
	`at` text NOT NULL,
	`status` text NOT NULL,
	`outcome_at` text,
	`request_id` text,
	`http_status` integer,
	`observed` text,
	`error` text
);
--> statement-breakpoint
CREATE INDEX `journal_status` ON `journal` (`status`);--> statement-breakpoint
CREATE INDEX `journal_change` ON `journal` (`change_id`);--> statement-breakpoint
CREATE TABLE `links` (
	`entity` text NOT NULL,
	`source_key` text NOT NULL,
	`service_id` text NOT NULL,
	`origin` text NOT NULL,
	`run` text NOT NULL,
	`at` text NOT NULL,
	`agreed` text,
	`written` text,
	`untaken` text,
	`desired_hash` text,
	`observed_hash` text,
	`context_hash` text,
	PRIMARY KEY(`entity`, `source_key`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `links_service_id` ON `links` (`entity`,`service_id`);--> statement-breakpoint
CREATE TABLE `reads` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`source` text NOT NULL,
	`run` text NOT NULL,
	`delivery` text NOT NULL,
	`at` text NOT NULL,
	`read_at` text NOT NULL,
	`rows` integer NOT NULL,
	`rejected` integer NOT NULL,
	`complete` integer NOT NULL,
	`because` text,
	`digest` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `reads_source` ON `reads` (`source`,`seq`);--> statement-breakpoint
CREATE TABLE `runs` (
	`id` text PRIMARY KEY NOT NULL,
	`command` text NOT NULL,
	`started_at` text NOT NULL,
	`ended_at` text,
	`plan` text,
	`config_digest` text NOT NULL,
	`exit_code` integer,
	`result` text
);
