module example.com/spindrift

go 1.19
