CREATE TABLE `link_moves` (
	`seq` integer PRIMARY KEY NOT NULL,
	`entity` text NOT NULL,
	`key` text NOT NULL,
	`token` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO link_moves (seq, entity, key, token) VALUES (1, '', '', abs(random() % 1000000000));
--> statement-breakpoint
CREATE TRIGGER `links_added` AFTER INSERT ON links BEGIN
	INSERT INTO link_moves (entity, key, token) VALUES (new.entity, new.source_key, abs(random() % 1000000000));
END;
--> statement-breakpoint
CREATE TRIGGER `links_moved` AFTER UPDATE OF service_id, desired_hash, observed_hash, context_hash, settled ON links BEGIN
	INSERT INTO link_moves (entity, key, token) VALUES (new.entity, new.source_key, abs(random() % 1000000000));
END;
--> statement-breakpoint
CREATE TRIGGER `links_renamed` AFTER UPDATE OF source_key ON links BEGIN
	INSERT INTO link_moves (entity, key, token) VALUES (old.entity, old.source_key, abs(random() % 1000000000));
	INSERT INTO link_moves (entity, key, token) VALUES (new.entity, new.source_key, abs(random() % 1000000000));
END;
--> statement-breakpoint
CREATE TRIGGER `links_removed` AFTER DELETE ON links BEGIN
	INSERT INTO link_moves (entity, key, token) VALUES (old.entity, old.source_key, abs(random() % 1000000000));
END;
