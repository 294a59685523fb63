INSERT INTO facts (name, value) VALUES ('account', 'acme');
INSERT INTO shared_texts (id, text) VALUES (1, '["name"]');
INSERT INTO links (entity, source_key, service_id, origin, run, at, agreed, was) VALUES ('users', 'E1', 'u1', 'created', 'r1', '2026-01-01T00:00:00.000Z', '[1,"Kari"]', '{"at":"2026-01-01T00:00:00.000Z","values":{"name":"Kari Nordmann"}}');
INSERT INTO approvals (change_id, id, guard, who, reason, at, expires_at, is_half, via, plan) VALUES ('c1', 'a1', 'users.deactivate', 'jo@example.com', 'closed', '2026-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z', 0, 'machine', 'p1');
INSERT INTO held_changes (guard, scope, key, field, run, at) VALUES ('users.deactivate', 'users', 'E2', '', 'r1', '2026-01-01T00:00:00.000Z');
INSERT INTO declines (id, scope, key, path, value, mapping, change_id, action, guards, plan, who, reason, at) VALUES ('d1', 'users', 'E3', 'existence', 'h', 'm', 'c3', 'users.deactivate', 'users.deactivate', 'p1', 'jo@example.com', 'returns', '2026-01-01T00:00:00.000Z');
INSERT INTO filled_columns VALUES ('hr', 'E1', '++-');
