CREATE TABLE `filled_columns` (
	`stream` text NOT NULL,
	`key` text NOT NULL,
	`filled` text NOT NULL,
	PRIMARY KEY(`stream`, `key`)
) WITHOUT ROWID;
