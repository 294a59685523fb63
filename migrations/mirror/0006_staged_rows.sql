DROP TABLE `mapped_rows`;
--> statement-breakpoint
CREATE TABLE `counted` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `moved_objects` (
	`entity` text NOT NULL,
	`id` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
);
--> statement-breakpoint
CREATE TABLE `pending` (
	`entity` text NOT NULL,
	`key` text NOT NULL,
	PRIMARY KEY(`entity`, `key`)
);
--> statement-breakpoint
CREATE TABLE `staged_contents` (
	`source` text PRIMARY KEY NOT NULL,
	`digest` text NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `staged_places` (
	`name` text PRIMARY KEY NOT NULL,
	`value` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `staged_rows` (
	`row` integer PRIMARY KEY NOT NULL,
	`entity` text NOT NULL,
	`key` text NOT NULL,
	`state` text NOT NULL,
	`source` text NOT NULL,
	`digest` text,
	`hash` text,
	`body` text,
	`place` text,
	`preference` blob,
	`raw` text,
	`back` text,
	`back_hash` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `staged_key` ON `staged_rows` (`entity`,`key`);--> statement-breakpoint
CREATE INDEX `staged_digest` ON `staged_rows` (`entity`,`digest`) WHERE digest IS NOT NULL;--> statement-breakpoint
CREATE INDEX `staged_odd` ON `staged_rows` (`entity`,`state`) WHERE state NOT IN ('desired', 'leaver');
--> statement-breakpoint
CREATE TRIGGER `objects_added` AFTER INSERT ON objects BEGIN
	INSERT INTO moved_objects (entity, id) VALUES (new.entity, new.id) ON CONFLICT DO NOTHING;
	DELETE FROM counted;
END;
--> statement-breakpoint
CREATE TRIGGER `objects_moved` AFTER UPDATE OF active, hash ON objects BEGIN
	INSERT INTO moved_objects (entity, id) VALUES (new.entity, new.id) ON CONFLICT DO NOTHING;
	DELETE FROM counted;
END;
--> statement-breakpoint
CREATE TRIGGER `objects_removed` AFTER DELETE ON objects BEGIN
	INSERT INTO moved_objects (entity, id) VALUES (old.entity, old.id) ON CONFLICT DO NOTHING;
	DELETE FROM counted;
END;
--> statement-breakpoint
CREATE TRIGGER `staged_added` AFTER INSERT ON staged_rows BEGIN
	INSERT INTO pending (entity, key) VALUES (new.entity, new.key) ON CONFLICT DO NOTHING;
	DELETE FROM counted;
	DELETE FROM staged_contents;
END;
--> statement-breakpoint
CREATE TRIGGER `staged_moved` AFTER UPDATE OF state, source, hash, back_hash ON staged_rows BEGIN
	INSERT INTO pending (entity, key) VALUES (new.entity, new.key) ON CONFLICT DO NOTHING;
	DELETE FROM counted;
END;
--> statement-breakpoint
CREATE TRIGGER `staged_written` AFTER UPDATE ON staged_rows BEGIN
	DELETE FROM staged_contents;
END;
--> statement-breakpoint
CREATE TRIGGER `staged_removed` AFTER DELETE ON staged_rows BEGIN
	INSERT INTO pending (entity, key) VALUES (old.entity, old.key) ON CONFLICT DO NOTHING;
	DELETE FROM counted;
	DELETE FROM staged_contents;
END;
