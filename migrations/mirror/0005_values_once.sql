CREATE TABLE `shared_texts` (
	`id` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `shared_texts_text` ON `shared_texts` (`text`);--> statement-breakpoint
INSERT INTO `shared_texts` (`text`) SELECT DISTINCT (SELECT json_group_array(e.key) FROM json_each(o.body) e) FROM `objects` o;--> statement-breakpoint
INSERT INTO `shared_texts` (`text`) SELECT DISTINCT entity || '.' || name FROM `object_keys`;--> statement-breakpoint
CREATE TABLE `__new_objects` (
	`seq` integer PRIMARY KEY NOT NULL,
	`entity` text NOT NULL,
	`id` text NOT NULL,
	`active` integer NOT NULL,
	`label` text,
	`body` text NOT NULL,
	`hash` text NOT NULL,
	`seen` integer NOT NULL
);
--> statement-breakpoint
-- Values without their names, a label where they do not say it, and 22 of the 43 characters of a hash.
INSERT INTO `__new_objects` (`entity`, `id`, `active`, `label`, `body`, `hash`, `seen`)
	SELECT o.entity, o.id, o.active,
		CASE WHEN o.entity = 'users' AND o.label = (o.body ->> '$.name') || ' <' || (o.body ->> '$.email') || '>' THEN NULL ELSE o.label END,
		'[' || (SELECT t.id FROM `shared_texts` t WHERE t.text = (SELECT json_group_array(e.key) FROM json_each(o.body) e))
			|| coalesce(',' || (SELECT group_concat(o.body -> e.fullkey, ',') FROM json_each(o.body) e), '') || ']',
		substr(o.hash, 1, 22), o.seen
	FROM `objects` o ORDER BY o.entity, o.id;--> statement-breakpoint
CREATE UNIQUE INDEX `objects_id` ON `__new_objects` (`entity`,`id`);--> statement-breakpoint
CREATE TABLE `__new_object_keys` (
	`kind` integer NOT NULL,
	`value` text NOT NULL,
	`object` integer NOT NULL,
	PRIMARY KEY(`kind`, `value`, `object`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_object_keys` (`kind`, `value`, `object`)
	SELECT t.id, k.value, o.seq FROM `object_keys` k
	JOIN `shared_texts` t ON t.text = k.entity || '.' || k.name
	JOIN `__new_objects` o ON o.entity = k.entity AND o.id = k.id
	ORDER BY 1, 2, 3;--> statement-breakpoint
DROP TABLE `object_keys`;--> statement-breakpoint
ALTER TABLE `__new_object_keys` RENAME TO `object_keys`;--> statement-breakpoint
DROP TABLE `objects`;--> statement-breakpoint
ALTER TABLE `__new_objects` RENAME TO `objects`;--> statement-breakpoint
CREATE INDEX `objects_inactive` ON `objects` (`entity`) WHERE active = 0;
