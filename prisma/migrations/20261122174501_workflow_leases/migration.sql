-- AlterTable
ALTER TABLE "workflow_runs" ADD COLUMN     "held_until" TIMESTAMPTZ(3);

-- By hand: "due_at" of a running run was the expiry of its lease.
UPDATE "workflow_runs" SET "held_until" = "due_at" WHERE "status" = 'running';

-- The previous version may run at the same time. It writes only "holder" and "due_at" of a lease; later versions
-- change "held_until" with each of them.
CREATE FUNCTION workflow_runs_held_until() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.held_until := CASE WHEN NEW.holder IS NOT NULL THEN NEW.due_at END;
    RETURN NEW;
END $$;
CREATE TRIGGER workflow_runs_held_until BEFORE UPDATE ON "workflow_runs" FOR EACH ROW
    WHEN (NEW.held_until IS NOT DISTINCT FROM OLD.held_until
        AND (NEW.holder, NEW.due_at) IS DISTINCT FROM (OLD.holder, OLD.due_at))
    EXECUTE FUNCTION workflow_runs_held_until();
