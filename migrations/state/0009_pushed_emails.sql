CREATE TABLE `pushed_emails` (
	`source` text NOT NULL,
	`email` text NOT NULL,
	`id` text NOT NULL,
	PRIMARY KEY(`source`, `email`, `id`)
);
--> statement-breakpoint
CREATE INDEX `pushed_email_of` ON `pushed_emails` (`source`,`id`);--> statement-breakpoint
INSERT OR IGNORE INTO `pushed_emails` (`source`, `email`, `id`)
SELECT `r`.`source`,
	CASE WHEN json_extract(`r`.`body`, `e`.`fullkey` || '.value') GLOB '*[^ -~]*' THEN '' ELSE lower(json_extract(`r`.`body`, `e`.`fullkey` || '.value')) END,
	`r`.`id`
FROM `pushed_resources` `r`, json_each(`r`.`body`, '$.emails') `e`
WHERE `r`.`type` = 'User' AND typeof(json_extract(`r`.`body`, `e`.`fullkey` || '.value')) = 'text';
