CREATE TABLE `pins` (
	`entity` text NOT NULL,
	`source_key` text NOT NULL,
	`path` text NOT NULL,
	`value` text NOT NULL,
	`mapping` text NOT NULL,
	`undone` text NOT NULL,
	`run` text NOT NULL,
	`at` text NOT NULL,
	PRIMARY KEY(`entity`, `source_key`, `path`)
);
