CREATE TABLE `refusals` (
	`entity` text NOT NULL,
	`key` text NOT NULL,
	`change_id` text NOT NULL,
	`times` integer NOT NULL,
	`first_at` text NOT NULL,
	`last_at` text NOT NULL,
	`next_at` text NOT NULL,
	`message` text NOT NULL,
	PRIMARY KEY(`entity`, `key`)
);
