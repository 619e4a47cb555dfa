-- By hand, for Prisma has no partial indexes: what may be writing, or may have written, without our knowing what.
CREATE INDEX "workflow_runs_under_way" ON "workflow_runs"("installation_id", "workflow_id")
    WHERE "status" = 'running' OR ("status" = 'waiting' AND "is_uncertain");
