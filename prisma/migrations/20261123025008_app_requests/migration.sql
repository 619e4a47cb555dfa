-- CreateTable
CREATE TABLE "app_requests" (
    "id" BIGSERIAL NOT NULL,
    "credential_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "purpose" TEXT,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "status" INTEGER,
    "took_ms" INTEGER NOT NULL,
    "error" TEXT,
    "request_body" TEXT,
    "response_body" TEXT,

    CONSTRAINT "app_requests_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "app_requests_credential_id_id_idx" ON "app_requests"("credential_id", "id");

-- CreateIndex
CREATE INDEX "app_requests_at_idx" ON "app_requests"("at");

-- AddForeignKey
ALTER TABLE "app_requests" ADD CONSTRAINT "app_requests_credential_id_fkey" FOREIGN KEY ("credential_id") REFERENCES "credentials"("id") ON DELETE CASCADE ON UPDATE CASCADE;
