-- CreateTable
CREATE TABLE "request_budgets" (
    "key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "bucket_ms" INTEGER,
    "bucket" BIGINT,
    "spent" INTEGER[],
    "max" INTEGER,
    "credential_ids" UUID[],
    "paused_until" TIMESTAMPTZ(3),
    "slots" JSONB NOT NULL DEFAULT '{}',
    "expires_on" DATE NOT NULL,

    CONSTRAINT "request_budgets_pkey" PRIMARY KEY ("key","name")
);

-- CreateIndex
CREATE INDEX "request_budgets_expires_on_idx" ON "request_budgets"("expires_on");

-- Rows are updated in place: half of each page is left for the next version of its rows.
ALTER TABLE "request_budgets" SET (fillfactor = 50);
