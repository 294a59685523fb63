CREATE TABLE `mapped_rows` (
	`entity` text NOT NULL,
	`key` text NOT NULL,
	`digest` text NOT NULL,
	`state` text NOT NULL,
	`hash` text NOT NULL,
	`body` text NOT NULL,
	PRIMARY KEY(`entity`, `key`)
);
