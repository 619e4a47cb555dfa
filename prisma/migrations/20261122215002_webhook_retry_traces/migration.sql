-- AlterTable
ALTER TABLE "webhook_retries" ADD COLUMN     "traceparent" TEXT;
