CREATE TABLE `notify_channels` (
	`channel` text PRIMARY KEY NOT NULL,
	`next_at` text,
	`sent_at` text,
	`failing_since` text,
	`times` integer NOT NULL,
	`failure` text,
	`sent` integer NOT NULL,
	`failed` integer NOT NULL,
	`lapsed` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `notify_events` (
	`name` text PRIMARY KEY NOT NULL,
	`event` text NOT NULL,
	`since` text NOT NULL,
	`told` text NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `notify_outbox` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`channel` text NOT NULL,
	`event` text NOT NULL,
	`news` text NOT NULL,
	`at` text NOT NULL,
	`body` text NOT NULL,
	`message` text
);
--> statement-breakpoint
CREATE INDEX `notify_outbox_channel` ON `notify_outbox` (`channel`,`seq`);--> statement-breakpoint
CREATE INDEX `notify_outbox_event` ON `notify_outbox` (`event`);