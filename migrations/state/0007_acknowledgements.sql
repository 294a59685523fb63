CREATE TABLE `acknowledgements` (
	`hold` text PRIMARY KEY NOT NULL,
	`entity` text NOT NULL,
	`key` text NOT NULL,
	`who` text NOT NULL,
	`reason` text NOT NULL,
	`at` text NOT NULL,
	`until` text
);
