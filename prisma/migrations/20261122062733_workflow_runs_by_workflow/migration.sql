-- By hand, for Prisma has no partial indexes: what is due, workflow by workflow.
CREATE INDEX "workflow_runs_due_of_workflow" ON "workflow_runs"("installation_id", "workflow_id", "due_at", "number")
    WHERE "status" IN ('waiting', 'running');
DROP INDEX "workflow_runs_due";
