-- AlterTable
ALTER TABLE "idempotent_requests" ADD COLUMN     "holder" UUID;

-- By hand. The previous version may run at the same time. An attempt of it increases "tries" or starts a new
-- request; the holder of the earlier attempt must then no longer match.
CREATE FUNCTION idempotent_requests_taken_over() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.holder := NULL;
    RETURN NEW;
END $$;
CREATE TRIGGER idempotent_requests_taken_over BEFORE UPDATE ON "idempotent_requests" FOR EACH ROW
    WHEN (NEW.holder = OLD.holder
        AND (NEW.tries, NEW.started_at) IS DISTINCT FROM (OLD.tries, OLD.started_at))
    EXECUTE FUNCTION idempotent_requests_taken_over();
