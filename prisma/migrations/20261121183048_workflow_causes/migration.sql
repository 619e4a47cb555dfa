-- AlterTable
ALTER TABLE "workflow_runs" ADD COLUMN     "cause" UUID;
