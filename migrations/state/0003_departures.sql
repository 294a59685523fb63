CREATE TABLE `departures` (
	`entity` text NOT NULL,
	`source_key` text NOT NULL,
	`service_id` text NOT NULL,
	`run` text NOT NULL,
	`at` text NOT NULL,
	`stamp` text,
	`deleted_at` text,
	`words` text,
	PRIMARY KEY(`entity`, `source_key`)
);
