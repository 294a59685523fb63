CREATE TABLE `shared_texts` (
	`id` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `shared_texts_text` ON `shared_texts` (`text`);--> statement-breakpoint
INSERT INTO `shared_texts` (`text`)
	SELECT (SELECT json_group_array(e.key) FROM json_each(l.agreed) e) FROM `links` l WHERE l.agreed IS NOT NULL
	UNION SELECT (SELECT json_group_array(e.key) FROM json_each(l.written) e) FROM `links` l WHERE l.written IS NOT NULL;--> statement-breakpoint
-- Values without their names; of what was written only where anything was; 22 of the 43 characters of a hash.
UPDATE `links` SET
	`agreed` = CASE WHEN `agreed` IS NOT NULL THEN
		'[' || (SELECT t.id FROM `shared_texts` t WHERE t.text = (SELECT json_group_array(e.key) FROM json_each(links.agreed) e))
		|| coalesce(',' || (SELECT group_concat(links.agreed -> e.fullkey, ',') FROM json_each(links.agreed) e), '') || ']' END,
	`written` = CASE WHEN `written` <> '{}' THEN
		'[' || (SELECT t.id FROM `shared_texts` t WHERE t.text = (SELECT json_group_array(e.key) FROM json_each(links.written) e))
		|| coalesce(',' || (SELECT group_concat(links.written -> e.fullkey, ',') FROM json_each(links.written) e), '') || ']' END,
	`desired_hash` = substr(`desired_hash`, 1, 22),
	`observed_hash` = substr(`observed_hash`, 1, 22),
	`context_hash` = substr(`context_hash`, 1, 22),
	`settled` = NULL;
