-- AlterTable
ALTER TABLE "workflow_runs" ADD COLUMN     "traceparent" TEXT;
