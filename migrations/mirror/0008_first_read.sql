DROP INDEX `staged_digest`;--> statement-breakpoint
CREATE INDEX `staged_digest` ON `staged_rows` (`entity`,`row`,`digest`) WHERE digest IS NOT NULL;
--> statement-breakpoint
DELETE FROM marks WHERE name = 'pending.links';
--> statement-breakpoint
DROP TABLE `pending`;
--> statement-breakpoint
CREATE TABLE `pending` (
	`entity` text NOT NULL,
	`key` text NOT NULL,
	PRIMARY KEY(`entity`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
DROP TABLE `moved_objects`;
--> statement-breakpoint
CREATE TABLE `moved_objects` (
	`entity` text NOT NULL,
	`id` text NOT NULL,
	PRIMARY KEY(`entity`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
DROP TRIGGER `objects_added`;
--> statement-breakpoint
CREATE TRIGGER `objects_added` AFTER INSERT ON objects BEGIN
	INSERT INTO moved_objects (entity, id) SELECT new.entity, new.id
		WHERE EXISTS (SELECT 1 FROM marks WHERE name = 'pending.links') ON CONFLICT DO NOTHING;
	DELETE FROM counted;
END;
--> statement-breakpoint
DROP TRIGGER `objects_moved`;
--> statement-breakpoint
CREATE TRIGGER `objects_moved` AFTER UPDATE OF active, hash ON objects BEGIN
	INSERT INTO moved_objects (entity, id) SELECT new.entity, new.id
		WHERE EXISTS (SELECT 1 FROM marks WHERE name = 'pending.links') ON CONFLICT DO NOTHING;
	DELETE FROM counted;
END;
--> statement-breakpoint
DROP TRIGGER `objects_removed`;
--> statement-breakpoint
CREATE TRIGGER `objects_removed` AFTER DELETE ON objects BEGIN
	INSERT INTO moved_objects (entity, id) SELECT old.entity, old.id
		WHERE EXISTS (SELECT 1 FROM marks WHERE name = 'pending.links') ON CONFLICT DO NOTHING;
	DELETE FROM counted;
END;
--> statement-breakpoint
DROP TRIGGER `staged_added`;
--> statement-breakpoint
CREATE TRIGGER `staged_added` AFTER INSERT ON staged_rows BEGIN
	INSERT INTO pending (entity, key) SELECT new.entity, new.key
		WHERE EXISTS (SELECT 1 FROM marks WHERE name = 'pending.links') ON CONFLICT DO NOTHING;
	DELETE FROM counted;
	DELETE FROM staged_contents;
END;
--> statement-breakpoint
DROP TRIGGER `staged_moved`;
--> statement-breakpoint
CREATE TRIGGER `staged_moved` AFTER UPDATE OF state, source, hash, back_hash ON staged_rows BEGIN
	INSERT INTO pending (entity, key) SELECT new.entity, new.key
		WHERE EXISTS (SELECT 1 FROM marks WHERE name = 'pending.links') ON CONFLICT DO NOTHING;
	DELETE FROM counted;
END;
--> statement-breakpoint
DROP TRIGGER `staged_removed`;
--> statement-breakpoint
CREATE TRIGGER `staged_removed` AFTER DELETE ON staged_rows BEGIN
	INSERT INTO pending (entity, key) SELECT old.entity, old.key
		WHERE EXISTS (SELECT 1 FROM marks WHERE name = 'pending.links') ON CONFLICT DO NOTHING;
	DELETE FROM counted;
	DELETE FROM staged_contents;
END;
