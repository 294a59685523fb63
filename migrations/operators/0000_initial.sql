CREATE TABLE `facts` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `logins` (
	`hash` text PRIMARY KEY NOT NULL,
	`who` text NOT NULL,
	`person` text NOT NULL,
	`token` text,
	`at_ms` integer NOT NULL,
	`seen_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `logins_who` ON `logins` (`who`);--> statement-breakpoint
CREATE TABLE `operators` (
	`who` text PRIMARY KEY NOT NULL,
	`grants` text NOT NULL,
	`at` text NOT NULL,
	`by` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`who` text NOT NULL,
	`hash` text NOT NULL,
	`at` text NOT NULL,
	`expires_at` text NOT NULL,
	`used_at` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_hash` ON `tokens` (`hash`);--> statement-breakpoint
CREATE INDEX `tokens_who` ON `tokens` (`who`);