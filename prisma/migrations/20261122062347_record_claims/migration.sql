-- CreateTable
CREATE TABLE "record_claims" (
    "credential_id" UUID NOT NULL,
    "topic" TEXT NOT NULL,
    "record_id" UUID NOT NULL,
    "holder" UUID NOT NULL,
    "held_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "record_claims_pkey" PRIMARY KEY ("credential_id","topic","record_id")
);
