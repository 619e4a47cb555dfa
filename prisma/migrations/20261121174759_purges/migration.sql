-- CreateTable
CREATE TABLE "purges" (
    "credential_id" UUID NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "purges_pkey" PRIMARY KEY ("credential_id")
);

-- CreateIndex
CREATE INDEX "purges_due_at_idx" ON "purges"("due_at");
