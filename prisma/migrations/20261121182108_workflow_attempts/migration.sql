-- AlterTable
ALTER TABLE "installed_workflows" ADD COLUMN     "paused_until" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "workflow_runs" ADD COLUMN     "is_uncertain" BOOLEAN NOT NULL DEFAULT false;
