-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "resets" INTEGER NOT NULL DEFAULT 0;
