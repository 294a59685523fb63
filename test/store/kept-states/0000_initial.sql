INSERT INTO facts (name, value) VALUES ('account', 'acme');
INSERT INTO links (entity, source_key, service_id, origin, run, at, agreed) VALUES ('users', 'E1', 'u1', 'created', 'r1', '2026-01-01T00:00:00.000Z', '{"name":"Kari"}');
