-- Until when, in milliseconds since 1970, the service leaves an artifact out of its lists because a call is about to delete
-- it. NULL: no call is. After that time the call counts as dead, and maintenance lists the artifact again.
ALTER TABLE artifacts ADD COLUMN leaving_until INTEGER;

CREATE INDEX artifacts_leaving ON artifacts (leaving_until) WHERE leaving_until IS NOT NULL;
