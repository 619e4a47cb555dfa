-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "ahead" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "webhook_replays" ADD COLUMN     "ahead" TEXT[] DEFAULT ARRAY[]::TEXT[];
