INSERT INTO facts (name, value) VALUES ('cookie.key', 'a key of that time');
INSERT INTO operators (who, grants, at, by) VALUES ('jo@example.com', '[]', '2026-01-01T00:00:00.000Z', 'kari@example.com');
INSERT INTO tokens (id, who, hash, at, expires_at) VALUES ('t1', 'jo@example.com', 'of a token', '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z');
INSERT INTO logins (hash, who, person, at_ms, seen_ms) VALUES ('of a cookie', 'jo@example.com', '{}', 1, 1);
