CREATE TABLE `delivered_documents` (
	`delivery` text NOT NULL,
	`entity` text NOT NULL,
	`key` text NOT NULL,
	`laid` text,
	`missing` integer NOT NULL,
	`failure` text,
	PRIMARY KEY(`delivery`, `key`)
);
