DROP INDEX `staged_digest`;--> statement-breakpoint
ALTER TABLE `staged_rows` ADD `until` integer;--> statement-breakpoint
CREATE INDEX `staged_digest` ON `staged_rows` (`entity`,`row`,`digest`,`until`) WHERE digest IS NOT NULL;