-- DropIndex
DROP INDEX "installed_workflows_workflow_id_idx";

-- DropIndex
DROP INDEX "workflow_runs_installation_id_workflow_id_number_idx";

-- CreateIndex
CREATE INDEX "installed_workflows_workflow_id_installed_version_idx" ON "installed_workflows"("workflow_id", "installed_version");

-- CreateIndex
CREATE INDEX "workflow_runs_installation_id_workflow_id_status_number_idx" ON "workflow_runs"("installation_id", "workflow_id", "status", "number");

-- CreateIndex
CREATE INDEX "workflow_runs_workflow_id_status_number_idx" ON "workflow_runs"("workflow_id", "status", "number");
