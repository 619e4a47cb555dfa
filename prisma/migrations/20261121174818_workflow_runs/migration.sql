-- CreateTable
CREATE TABLE "log_readers" (
    "name" TEXT NOT NULL,
    "position" TEXT NOT NULL,

    CONSTRAINT "log_readers_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "workflow_runs" (
    "id" UUID NOT NULL,
    "number" BIGSERIAL NOT NULL,
    "installation_id" UUID NOT NULL,
    "workflow_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "change" TEXT NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,
    "credential_id" UUID NOT NULL,
    "topic" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "record_id" UUID NOT NULL,
    "changed_fields" TEXT[],
    "record" JSON NOT NULL,
    "chain" UUID[],
    "status" TEXT NOT NULL DEFAULT 'waiting',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "holder" UUID,
    "failure" TEXT,
    "target_record_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "workflow_runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow_links" (
    "installation_id" UUID NOT NULL,
    "workflow_id" UUID NOT NULL,
    "source_record_id" UUID NOT NULL,
    "target_credential_id" UUID NOT NULL,
    "target_record_id" UUID NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_links_pkey" PRIMARY KEY ("installation_id","workflow_id","source_record_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "workflow_runs_number_key" ON "workflow_runs"("number");

-- CreateIndex
CREATE INDEX "workflow_runs_installation_id_workflow_id_number_idx" ON "workflow_runs"("installation_id", "workflow_id", "number");

-- CreateIndex
CREATE INDEX "workflow_runs_finished_at_idx" ON "workflow_runs"("finished_at");

-- CreateIndex
CREATE UNIQUE INDEX "workflow_runs_installation_id_workflow_id_change_key" ON "workflow_runs"("installation_id", "workflow_id", "change");

-- CreateIndex
CREATE INDEX "workflow_links_installation_id_target_record_id_idx" ON "workflow_links"("installation_id", "target_record_id");

-- AddForeignKey
ALTER TABLE "workflow_runs" ADD CONSTRAINT "workflow_runs_installation_id_fkey" FOREIGN KEY ("installation_id") REFERENCES "installations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_links" ADD CONSTRAINT "workflow_links_installation_id_fkey" FOREIGN KEY ("installation_id") REFERENCES "installations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand, for Prisma has no partial indexes: what is due, and what of a record is not yet done.
CREATE INDEX "workflow_runs_due" ON "workflow_runs"("due_at") WHERE "status" IN ('waiting', 'running');
CREATE INDEX "workflow_runs_unfinished" ON "workflow_runs"("installation_id", "workflow_id", "record_id", "number")
    WHERE "status" IN ('waiting', 'running');
