CREATE TABLE `report_deliveries` (
	`report` text PRIMARY KEY NOT NULL,
	`anchor` text,
	`work` text,
	`last` text,
	`failure` text
);
