-- The span that wrote a change, as a W3C `traceparent`; null: it was not traced. Only adds a column without a
-- default, to all partitions at once: no row is written again. The previous version does not name it.
ALTER TABLE change_log.changes ADD COLUMN traceparent text;
